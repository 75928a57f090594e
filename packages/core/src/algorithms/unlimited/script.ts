export const unlimitedLua = (): string => `
{
  look = function() return true end,
  take = function() end,
  refundReceipt = function() end,
  refundUnits = function() end,
  ends = function() return 0 end,
}`
