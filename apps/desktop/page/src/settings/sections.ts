/** The sections of the settings, in their order. Each has an address: `#/settings/models`. */
export const SECTIONS = [
  'appearance',
  'models',
  'projects',
  'approvals',
  'notifications',
  'store',
  'data',
  'about',
] as const;

export type SectionName = (typeof SECTIONS)[number];

/** The section of an address; the first for one that names none. */
export const sectionOf = (name: string | undefined): SectionName =>
  SECTIONS.find((one) => one === name) ?? SECTIONS[0];
