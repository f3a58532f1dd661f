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

/** The section with this name, or the first one. */
export const sectionOf = (name: string | undefined): SectionName =>
  SECTIONS.find((section) => section === name) ?? SECTIONS[0];
