const { default: app } = await import(Deno.env.get('MODULE'))
Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, app.fetch)
