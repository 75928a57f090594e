// Koa 2 under another name. What the suite uses of it is the same in both.
declare module 'koa2' {
  import Koa from 'koa'
  export default Koa
}
