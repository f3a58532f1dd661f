/** What the components say by themselves, in one place, so that another language is another such record. */
export const WORDS = {
  copy: 'Copy',
  copied: 'Copied',
  marked: 'It could not be copied; it is marked.',
  chooseOne: 'Choose a file',
  chooseMany: 'Choose files',
  onlyOne: 'Only one file can be chosen here.',
  folder: 'This is a folder. Choose a file.',
  /** Stands after the name of the file. */
  kind: (accept: string) => `is of another kind. Choose a file that ends in ${accept}.`,
} as const;
