// Express 4 under another name. What the tests use of it is the same in both.
declare module 'express4' {
  import express from 'express'
  export default express
}
