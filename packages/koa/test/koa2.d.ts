// Koa 2 under another name. The tests use only the types that both versions share.
declare module 'koa2' {
  import Koa from 'koa'
  export default Koa
}
