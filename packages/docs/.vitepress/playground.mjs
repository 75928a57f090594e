import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Writes the page of the playground without its server: the core in the browser plays the traffic, no request is sent. */
export async function writePlayground(page, folder) {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(page).filter((name) => /\.(?:css|svg)$/.test(name))) {
    copyFileSync(join(page, file), join(folder, file))
  }
  const html = readFileSync(join(page, 'index.html'), 'utf8')
  writeFileSync(join(folder, 'index.html'), withoutServer(html))
  await build({
    entryPoints: [join(page, 'app.js')],
    outdir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  })
}

const serverPart = /<!-- server -->[\s\S]*?<!-- \/server -->/g
const documentation = /href="https:\/\/github\.com\/[^"]*?\/docs\/([^"]*)\.md"/g

/** The page is in a frame of the site: its links to the documentation lead to pages of the site, outside the frame. */
function withoutServer(html) {
  if (!serverPart.test(html)) throw new Error('the page of the playground marks no server part')
  return html
    .replace('<!-- importmap -->', '')
    .replaceAll(serverPart, '')
    .replaceAll(documentation, (_, page) => {
      return `target="_top" href="../${page.replace(/README$/, 'index')}.html"`
    })
    .replace('</main>', `${ownServer}</main>`)
}

const ownServer = `<section class="live" aria-labelledby="own-title">
        <h2 id="own-title">A real server</h2>
        <p class="note">To send requests to a real server, start the playground in a clone of the repository:</p>
        <pre tabindex="0" aria-labelledby="own-title"><code>npm run setup &amp;&amp; npm run build
node examples/playground/server.js</code></pre>
      </section>
    `
