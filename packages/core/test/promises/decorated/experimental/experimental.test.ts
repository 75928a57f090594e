import { limited } from '../../../../src/index.js'
import { newLimiter, noting } from '../reports.js'
import { describeDecorated } from '../suite.js'

const limiter = newLimiter()
const calledWith: string[] = []

class ByCompiler {
  static readonly calledWith = calledWith
  readonly tenant: string

  constructor(tenant: string) {
    this.tenant = tenant
  }

  @limited(limiter, function (this: ByCompiler, id: string) {
    return { key: ['read', this.tenant, id] }
  })
  async read(id: string, page = 1): Promise<string> {
    return `${this.tenant} reads ${id}, page ${page}`
  }

  @noting(calledWith)
  @limited(
    limiter,
    function (this: ByCompiler, id: string, pages: number) {
      return { key: [this.tenant, id], cost: pages }
    },
    { onDenied: (_decision, id, pages) => `${id} is denied ${pages}` },
  )
  async create(_id: string, pages: number): Promise<string> {
    return `${this.tenant} writes ${pages}`
  }

  @limited(limiter, () => ({ key: ['all', 'experimental'] }))
  static async all(): Promise<string> {
    return 'all'
  }
}

describeDecorated(ByCompiler, limiter, ['object', 'string', 'object'], () =>
  // The call that decorates an accessor. By its type, an accessor of a function is a method.
  limited(limiter, () => ({ key: 'all' }))(ByCompiler.prototype, 'reader', {
    get: () => async () => 'nothing',
  }),
)
