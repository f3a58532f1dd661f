/**
 * Why a deflate stream did not give the declared bytes: broken or cut off, more or fewer bytes than declared, or
 * input left over after the final block.
 */
export type InflateFault = 'damaged' | 'longer' | 'shorter' | 'trailing';

/** Most bytes that a byte of deflate can stand for: four copies of 258, at two bits each (RFC 1951, 3.2.5). */
export const MAX_GROWTH = 1032;
