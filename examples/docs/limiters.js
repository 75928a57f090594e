// The limits of an application, which also the command line reads.
// #region limiters
export const api = { name: 'api', limit: 100, window: '1m' }
export const login = { name: 'login', limit: 5, window: '1m' }
// #endregion
