/**
 * Why a deflate stream did not give the declared bytes: broken or cut off, more or fewer bytes than declared, or
 * input left over after the final block.
 */
export type InflateFault = 'damaged' | 'longer' | 'shorter' | 'trailing';
