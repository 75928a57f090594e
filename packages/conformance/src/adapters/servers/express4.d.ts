// Express 4 under another name. What the suite uses of it is the same in both.
declare module 'express4' {
  import express from 'express'
  export default express
}
