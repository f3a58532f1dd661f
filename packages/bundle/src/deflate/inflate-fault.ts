/**
 * Why a deflate stream is invalid: damaged or cut off, more or fewer bytes than declared, or
 * input after the final block.
 */
export type InflateFault = 'damaged' | 'longer' | 'shorter' | 'trailing';

/** Maximum number of bytes that a byte of deflate can encode: four copies of 258, at two bits each (RFC 1951, 3.2.5). */
export const MAX_GROWTH = 1032;
