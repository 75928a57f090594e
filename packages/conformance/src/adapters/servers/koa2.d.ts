// Koa 2 under another name. The members that the suite uses are the same in both versions.
declare module 'koa2' {
  import Koa from 'koa'
  export default Koa
}
