/** The row of a publisher, with its look-alike key and its proof. */
export const PUBLISHER = {
  slug: 'a',
  name: 'A',
  verified: false,
  suspended: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};
export const MARKS = { look: 'a', proof: 'p' };
