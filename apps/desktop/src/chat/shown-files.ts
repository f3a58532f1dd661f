/** The types of pictures that models see. */
export const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
