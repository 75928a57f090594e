// Express 4 under another name. The members that the suite uses are the same in both versions.
declare module 'express4' {
  import express from 'express'
  export default express
}
