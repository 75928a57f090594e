// Express 4 under another name. The tests use only the types that both versions share.
declare module 'express4' {
  import express from 'express'
  export default express
}
