// Bundles the packages of the Express example from their TypeScript, in a second: types are not checked, and an application could leave out less of the
// bundles than of those of bundle.mjs, which replace them. It needs esbuild and the packages that become part of a bundle, which are `dependencies` of the
// root: `npm start` installs no devDependencies.
import { build } from 'esbuild'
import { entriesOf, members } from './workspace.mjs'

for (const { folder, manifest } of members()) {
  if (!['@sluice/core', '@sluice/express'].includes(manifest.name)) continue
  await build({
    absWorkingDir: folder,
    entryPoints: entriesOf(manifest).map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
    outdir: 'bundle',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  })
}
