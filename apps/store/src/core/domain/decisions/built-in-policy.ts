import type { PolicyRule } from '@svc/contracts';

/** The policy of a store that has published none: version 1. */
export const BUILT_IN_POLICY: { intro: string; rules: readonly PolicyRule[] } = {
  intro:
    'These rules apply to every app and publisher of this store. Moderators and administrators cite a rule in each decision against an app or a publisher, and the publisher can appeal: another moderator then decides.',
  rules: [
    {
      id: 'malicious',
      title: 'No malicious apps',
      text: 'An app must not steal data, secrets or money, damage files, hide what it does, or make a model act against its user. The store yanks such an app and suspends its publisher.',
    },
    {
      id: 'impersonation',
      title: 'Be who you say you are',
      text: 'Name, icon, id and author must not suggest another person, company or project, unless you may act for them.',
    },
    {
      id: 'permissions',
      title: 'Ask only for what you need',
      text: 'Every grant, domain, account and scope must be needed by a tool, and explained in "permissions" in words that users understand.',
    },
    {
      id: 'listing',
      title: 'Describe what users get',
      text: 'Name, description, pictures, README and changelog must be true, and must not promise what the app does not do.',
    },
    {
      id: 'instructions',
      title: 'Tools describe themselves',
      text: 'Names, descriptions and parameters of tools say what the tool does. They give no orders about other tools, about the user, or about what to keep secret.',
    },
    {
      id: 'approval',
      title: 'Ask before acts with consequences',
      text: 'A tool that sends, deletes, pays or publishes needs an approval card.',
    },
    {
      id: 'function',
      title: 'It works',
      text: 'The server answers, the tools do what they say, and the app can be tried by a moderator.',
    },
    {
      id: 'readable',
      title: 'It can be reviewed',
      text: 'Scripts in a bundle are readable or only minified. Obfuscated code is not accepted.',
    },
    {
      id: 'rights',
      title: 'Respect the rights of others',
      text: 'No content, names or pictures that infringe copyrights, trademarks, privacy or the law.',
    },
    {
      id: 'spam',
      title: 'No spam',
      text: 'No copies of one app under several ids, no reviews that were bought, and no apps that only advertise.',
    },
    {
      id: 'other',
      title: 'Other reasons',
      text: 'For what no other rule covers. The note of the decision says why.',
    },
  ],
};
