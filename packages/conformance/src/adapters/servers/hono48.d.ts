// Hono 4.8 under another name. The members that the suite uses are the same in both versions.
declare module 'hono48' {
  export { Hono } from 'hono'
}
