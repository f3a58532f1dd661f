/** Queries that may read many rows of a growing table, by the method that sends them, with the reason. */
export const READS_MUCH: Readonly<Record<string, string>> = {
  'people.add': 'SQLite skips the search for rows that refer to a new one while no constraint is violated',
  'publishers.create':
    'SQLite skips the search for rows that refer to a new one while no constraint is violated',
  'people.hasAdministrator': 'reads the first administrator in the index; of a role that few have',
  'people.beginGrace': 'users with a role, by the index: once, when an administrator asks them for passkeys',
  'people.search':
    'administrators page through people in the order of an index; a filter reads on until the page is full',
  'publishers.search':
    'administrators page in the order of the key; a filter reads on until the page is full',
  'publishers.dueForCheck': 'every ten minutes, one index entry of each publisher that its website verifies',
  'publishers.fullest': 'one index entry of each version, for the metrics: every ten minutes',
  'apps.search': 'administrators page in the order of the key; a filter reads on until the page is full',
  'audit.find':
    'administrators page backwards in the order of the key; a filter reads on until the page is full',
  'providerChecks.due': 'a queue: accounts about which a provider is to be asked, in the order of an index',
  'providerChecks.adopt': 'the accounts at providers whose groups decide, once a start',
  'names.list': 'a queue: names that wait for an administrator, in the order of the key',
  'mails.due': 'a queue: mails that wait, in the order of an index',
  'mails.to': 'the mails that wait for one user, in the order of an index, up to a bound',
  'backlog.read': 'queues: pending mails, and the index of versions in review',
  'reviews.page': 'a queue: the index of versions in review, and no row beyond the page',
  'reviews.placeOf': 'a queue: the index of versions in review',
  'reviews.waitingByReasons': 'a queue: the index of versions in review; once a minute',
  'logs.unlogged': 'looks for versions from before there was a log, once: at the first start with it',
  'logs.logVerified': 'the verified publishers, once: at the first start with the log',
  'logs.count': 'walks the log from its end to the last entry, and stops there',
  'audit.lastId': 'walks the log from its end to the last entry, and stops there',
  'events.last': 'walks the log from its end to the last event, and stops there',
  'revocations.yanked': 'the list of all that is yanked, made when one is yanked and once an hour',
  'leaving.forget':
    'an account that is deleted, once: names, invitations and forms in progress wait for days at most',
  'leaving.mentions': 'the whole audit log in pieces, before an account is deleted',
  'lives.move': 'an app that moves to another publisher: the developer tokens of the store',
  'lives.removeApp': 'an app that is deleted: the developer tokens of the store',
  'blobLedger.someUsed': 'reads the first twenty rows of an index, when the store starts',
  'blobLedger.purgeDoomed': 'holds what one sweep removes; each sweep empties it',
  'ratings.waiting': 'a queue: reviews that wait for a moderator, in the order of an index',
  'listing-pages.findPage':
    'walks the index of an order until the page is full, and counts up to a bound in the index',
  'listings.page':
    'walks the index of an order until the page is full, and counts up to a bound in the index',
  'released.withVersion': 'walks the index of a version number, by app, until the page is full',
  'devices.removeOldestPending':
    'walks the index of expiry from the oldest code on, up to a bound, when too many codes wait',
  'searchIndex.inEvery': 'walks the lists of a search from their best app on, up to a bound',
};
