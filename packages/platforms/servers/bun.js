const { default: app } = await import(process.env.MODULE)
Bun.serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
