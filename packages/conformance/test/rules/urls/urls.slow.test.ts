import { applications } from './applications.js'
import { describeUrls } from './describe-urls.js'

describeUrls(applications)
