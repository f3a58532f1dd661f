import { WORDS as SHARED } from '@svc/ui/words';
import type { SectionName } from '../settings/sections.ts';
import type { ThemeChoice } from '../settings/theme.ts';

/** Texts of the frame around every page, of the command palette and of the settings. */
export const SHELL_WORDS = {
  title: 'svc desktop',
  menu: 'Pages',
  pages: {
    chat: 'Chat',
    store: 'Store',
    apps: 'Apps',
    tools: 'Tools',
    panels: 'Panels',
    activity: 'Activity',
    updates: 'Updates',
    connectors: 'Connectors',
    dev: 'Developer',
    agents: 'Agents',
    settings: 'Settings',
  },
  more: 'More',
  advanced: 'Advanced',
  installed: 'Installed',
  /** What the numbers in the menu count. */
  waiting: {
    questions: 'questions waiting',
    updates: 'updates ask for new permissions',
    withdrawn: 'yanked apps',
  },
  project: 'Project',
  loading: SHARED.loading,
  again: SHARED.retry,
  cancel: SHARED.cancel,
  close: SHARED.close,
  done: 'Done.',
  back: (page: string) => `Back to ${page}`,
  nothingHere: 'Page not found.',

  palette: {
    open: 'Find',
    title: 'Find a page, an app or an action',
    placeholder: 'Find pages, apps, tools, conversations, actions…',
    switchModel: 'Switch model',
    results: 'Results',
    noResults: 'No results.',
    forNew: (provider: string) => `${provider}, switch model for new conversations`,
    forThis: (provider: string) => `${provider}, switch model of this conversation`,
    addModel: 'Add a model provider',
    switchProject: 'Switch project',
    kinds: {
      action: 'Actions',
      page: 'Pages',
      chat: 'Conversations',
      app: 'Apps',
      panel: 'Panels',
      tool: 'Tools',
      model: 'Models',
      project: 'Projects',
    },
  },
  keys: {
    title: 'Keyboard shortcuts',
    everywhere: 'On every page',
    inComposer: 'In the message field',
    inPalette: 'In the command palette',
    global: { find: 'Find', newChat: 'New chat', model: 'Switch model', help: 'Keyboard shortcuts' },
    composer: {
      send: 'Send',
      newLine: 'New line',
      editLast: 'Edit your last message, when the field is empty',
      stop: 'Stop the answer or cancel the edit',
    },
    palette: { choose: 'Next and previous', run: 'Open or run', leave: SHARED.close },
  },

  connection: {
    noAnswer: 'svc desktop does not respond. Check that it is running.',
    unexplained: (status: number) => `svc desktop failed with HTTP status ${status}.`,
    lost: 'Connection to svc desktop lost. This page may be out of date.',
    retryIn: (seconds: number) => `Retrying in ${seconds} s.`,
    retrying: 'Retrying…',
    retryNow: 'Retry now',
    ended: 'This session has ended',
    endedHint:
      'Each link works once, and its session ends when svc desktop quits. To get a new link, run this in a terminal:',
    endedCommand: 'svc desktop',
    opening: 'Opening…',
    keyInFile: (file: string) =>
      `No keyring is available, so the key of your accounts is in the file ${file}, beside them. A program that reads that folder can use your accounts.`,
    signIn: (label: string, app: string) => `Finish signing in to ${label} for ${app}.`,
    digits: (digits: string) => `If the page in your browser asks for three digits, type ${digits}.`,
    openSignIn: 'Open sign-in page',
    openAgain: 'Reopen sign-in page',
    storeAway: 'The store cannot be reached. Installed apps keep working.',
  },
  settingsPage: {
    sections: {
      appearance: 'Appearance',
      models: 'Models',
      projects: 'Projects and folders',
      approvals: 'Approvals',
      notifications: 'Notifications',
      store: 'Store',
      data: 'Data',
      about: 'About',
    } satisfies Record<SectionName, string>,
    theme: 'Theme (this browser only)',
    themes: { system: 'System', light: 'Light', dark: 'Dark' } satisfies Record<ThemeChoice, string>,
    store: 'Store URL',
    storeHint:
      'Set when svc desktop starts. Apps from different stores are not mixed. To use another store, run:',
    command: 'the command',
    localConnectors: (on: boolean) =>
      on
        ? 'You can add connectors on this computer and the local network.'
        : 'Connectors on this computer and the local network are off. Allow them on the page Connectors.',
    networks: {
      title: 'Private networks',
      label: 'Hosts and networks inside your company that apps may reach',
      hint: 'One a line, such as *.corp.example or 10.20.0.0/16. Apps reach the public Internet without being named here, and never this computer.',
      save: 'Save',
      saved: 'Saved.',
      fixed:
        'The operator of this computer sets the hosts and networks inside the company that apps may reach:',
    },
    folder: 'Folder',
    folderHint:
      'Contains apps, projects, conversations, activity and the encrypted token vault. Only you can read it. To use another folder, start with --folder.',
    clearActivity: 'Clear activity',
    removeApps: 'Remove apps with their accounts and files',
    facts: {
      name: 'Name',
      version: 'Version',
      store: 'Store',
      folder: 'Data folder',
      address: 'Address',
    },
  },
  notify: {
    ask: 'Notify me about questions while this page is in the background',
    hint: 'Your browser asks for permission once. This setting applies to this browser only.',
    denied: 'This browser blocks notifications. Allow them in its settings for this page.',
    title: (asker: string) => `${asker} has a question`,
  },
};
