/** The texts of the components, and those that all pages share, in one place for translation. */
export const WORDS = {
  loading: 'Loading…',
  retry: 'Retry',
  yes: 'Yes',
  no: 'No',
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copyOf: (name: string) => `Copy ${name}`,
  copied: 'Copied',
  notCopied: 'Could not copy. Select the text and copy it.',
  selected: 'Could not copy. The text is selected: copy it.',
  chooseOne: 'Choose a file',
  chooseMany: 'Choose files',
  onlyOne: 'Choose only one file.',
  folder: 'This is a folder. Choose a file.',
  /** Follows the name of the file. */
  kind: (accept: string) => `is of another type. Choose a file that ends in ${accept}.`,
} as const;
