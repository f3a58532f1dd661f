/** The sections of the settings, in their order. Each has an address: `#/settings/models`. */
export const SECTION_TITLES = {
  appearance: 'Appearance',
  models: 'Models',
  projects: 'Projects and folders',
  approvals: 'Approvals',
  notifications: 'Notifications',
  store: 'Store',
  data: 'Data',
  about: 'About',
} as const;

export type SectionName = keyof typeof SECTION_TITLES;

export const SECTIONS = Object.keys(SECTION_TITLES) as SectionName[];

/** The section with this name; null for the whole page. */
export const sectionOf = (name: string | undefined): SectionName | null =>
  SECTIONS.find((section) => section === name) ?? null;
