/** A publisher as it is kept, and what its address and its proof are known by. */
export const PUBLISHER = {
  slug: 'a',
  name: 'A',
  verified: false,
  suspended: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};
export const MARKS = { look: 'a', proof: 'p' };
