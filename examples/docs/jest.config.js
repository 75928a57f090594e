export default {
  transform: {
    '/node_modules/@sluice/.*\\.js$': [
      'babel-jest',
      { plugins: ['@babel/plugin-transform-modules-commonjs'] },
    ],
    '\\.[jt]sx?$': 'babel-jest',
  },
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm/|@sluice/)'],
}
