import { describeUrls } from './describe-urls.js'
import { nestApplications } from './nest-applications.js'

describeUrls(nestApplications)
