/** A word that names no longer use, and what to say. */
export type Retired = { word: string; say: string };

/**
 * Words that no identifier may contain, whole between two capitals or underscores: `mendedFile` contains `mended`. One way to say a
 * thing lets a reader search for it.
 */
export const RETIRED_WORDS: readonly Retired[] = [
  { word: 'anew', say: 'again' },
  { word: 'chore', say: 'job' },
  { word: 'deed', say: 'action' },
  { word: 'forgiven', say: 'allowed edits' },
  { word: 'knock', say: 'probe' },
  { word: 'lest', say: 'unless' },
  { word: 'mend', say: 'fix' },
  { word: 'mended', say: 'fixed' },
  { word: 'mistakes', say: 'edits' },
  { word: 'nobodys', say: 'dummy' },
  { word: 'outdate', say: 'invalidate' },
  { word: 'patience', say: 'timeout' },
  { word: 'somebody', say: 'user, caller, author, owner' },
  { word: 'strangers', say: 'visitors' },
  { word: 'tame', say: 'limit' },
  { word: 'unforged', say: 'csrf' },
  { word: 'unswept', say: 'blobs present' },
  { word: 'whereabouts', say: 'location' },
  { word: 'whoever', say: 'user, caller, author, owner' },
];

/** Beginnings of constants that are retired. */
export const RETIRED_PREFIXES: readonly Retired[] = [
  { word: 'LEAST_', say: 'MIN_' },
  { word: 'LONGEST_', say: 'MAX_' },
  { word: 'MOST_', say: 'MAX_' },
];

/** Words that identifiers of sources no longer contain; names in tests may. */
export const RETIRED_IN_SOURCES: readonly Retired[] = [
  { word: 'hear', say: 'receive, listen' },
  { word: 'heard', say: 'received, listed' },
  { word: 'judge', say: 'check' },
  { word: 'standing', say: 'state, status' },
  { word: 'told', say: 'reported, notified' },
  { word: 'unheard', say: 'not listed' },
  { word: 'weigh', say: 'cost, rank' },
];

/** Whole names that are retired. */
export const RETIRED_NAMES: readonly Retired[] = [
  { word: 'Ambient', say: 'System' },
  { word: 'CardDesk', say: 'PromptQueue' },
  { word: 'Carrier', say: 'MailTransport' },
  { word: 'Damaged', say: 'CorruptBackupError' },
  { word: 'Failed', say: 'CommandError' },
  { word: 'FigureStore', say: 'AppStatsStore' },
  { word: 'Marks', say: 'RateLimitStore' },
  { word: 'Narrow', say: 'Filters' },
  { word: 'Passing', say: 'TransientS3Error' },
  { word: 'PickDesk', say: 'FilePicker' },
  { word: 'SAY', say: 'MESSAGES' },
  { word: 'SignInClient', say: 'OAuthClient' },
  { word: 'SignInFault', say: 'OAuthError' },
  { word: 'SignInServer', say: 'AuthorizationServer' },
  { word: 'SureButton', say: 'ConfirmButton' },
  { word: 'UseNotes', say: 'LastUsedTracker' },
  { word: 'actorWithin', say: 'systemActor' },
  { word: 'appIdMeant', say: 'suggestAppId' },
  { word: 'askedOf', say: 'parseFileUrl' },
  { word: 'bringUp', say: 'requestModeration' },
  { word: 'foldersAlone', say: 'developerFoldersOnly' },
  { word: 'foundAs', say: 'toSearchDocument' },
  { word: 'judgeKeys', say: 'checkKeysByChain' },
  { word: 'keepLogShort', say: 'checkpointWal' },
  { word: 'letGo', say: 'releaseBuffers' },
  { word: 'lookAtApp', say: 'loadAppPage' },
  { word: 'lookInto', say: 'openUpload' },
  { word: 'meetServer', say: 'negotiateEra' },
  { word: 'meritOf', say: 'popularity' },
  { word: 'moveStars', say: 'adjustHistogram' },
  { word: 'namesItself', say: 'supportsIss' },
  { word: 'noteInstall', say: 'recordDownload' },
  { word: 'noteUse', say: 'recordUse' },
  { word: 'putInSearch', say: 'indexApp' },
  { word: 'putOff', say: 'postpone' },
  { word: 'requireRunning', say: 'requireEnabled, requireTokenUse, requireMayOpen, requireMayRun' },
  { word: 'shelfOf', say: 'shardPath' },
  { word: 'takeIn', say: 'spoolToFile' },
  { word: 'takeTry', say: 'recordLoginAttempt' },
  { word: 'takeUpload', say: 'consumeUploadQuota' },
  { word: 'takesClientDocuments', say: 'supportsClientIdMetadata' },
  { word: 'tellMembers', say: 'notifyMembers' },
  { word: 'tellQuota', say: 'setRateLimitHeaders' },
  { word: 'tellRequest', say: 'reportRequest' },
  { word: 'useAsk', say: 'useDesktopQuery' },
  { word: 'useDo', say: 'useDesktopMutation' },
  { word: 'useHear', say: 'useDesktopEvents' },
  { word: 'weighApp', say: 'updateRank' },
  { word: 'whoIsSignedIn', say: 'findSignedInCaller' },
  { word: 'whyUnsafe', say: 'unsafePathReason' },
  { word: 'withPatience', say: 'withinLimit' },
  { word: 'withholdReviews', say: 'hideReviewsOf' },
  { word: 'writeSheet', say: 'buildConsentPreview' },
  { word: 'wrongUse', say: 'usageError' },
];

/** Words and phrases that no comment, message or document says, as regular expressions. Vectors and tests keep theirs. */
export const RETIRED_PHRASES: readonly Retired[] = [
  { word: '[Ww]hoever', say: 'user, caller, author, owner' },
  { word: "[Ss]omebody(?:'s)?", say: 'user, caller, author, owner' },
  { word: '[Aa]new', say: 'again' },
  { word: '[Mm]end(?:s|ed|ing)?', say: 'fix' },
  { word: '[Ss]peaks? of', say: 'refers to' },
  { word: '[Tt]ak(?:es?|en|ing) up(?! to)', say: 'queue, count, begin' },
  { word: '[Ll]ets? go of', say: 'releases' },
  { word: 'h(?:olds?|eld) against', say: 'checks against' },
  // The system user of that name is in backquotes; addresses of the API have it as a value.
  { word: "(?<![`'=])[Nn]obody(?![`':])", say: 'no user, no caller, no visitor' },
  { word: '(?:[Aa]ny|[Ee]very)body', say: 'any user, each caller, every visitor' },
  { word: '[Ss]trangers?', say: 'visitor, attacker, untrusted program' },
  { word: '(?:is|are|was|were) told', say: 'receives, learns, is notified' },
  { word: '[Hh]eard', say: 'received, listed' },
  { word: '[Dd]eeds?', say: 'action' },
  { word: 'turned away', say: 'refused' },
  { word: '(?:is|are|was|were) let in', say: 'is admitted' },
  { word: 'in vain', say: 'without success' },
  { word: 'at hand', say: 'current' },
  { word: 'gives? back', say: 'returns' },
];
