import { NestFactory } from '@nestjs/core'

/** Serves an application of NestJS on a free port for as long as the visit takes. */
export async function visitNest(
  module: new () => object,
  go: (ask: (path: string, method?: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.create(module, { logger: false })
  await app.listen(0, '127.0.0.1')
  const url = await app.getUrl()
  try {
    await go((path, method = 'GET') => fetch(`${url}${path}`, { method }))
  } finally {
    await app.close()
  }
}
