/** A word that names no longer use, and what to say. */
export type Retired = { word: string; say: string };

/**
 * Words that no identifier may contain, whole between two capitals or underscores: `mendedFile` contains `mended`. One way to say a
 * thing lets a reader search for it.
 */
export const RETIRED_WORDS: readonly Retired[] = [
  { word: 'anew', say: 'again' },
  { word: 'chore', say: 'job' },
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

/** Whole names that are retired. */
export const RETIRED_NAMES: readonly Retired[] = [
  { word: 'Ambient', say: 'System' },
  { word: 'CardDesk', say: 'PromptQueue' },
  { word: 'Damaged', say: 'CorruptBackupError' },
  { word: 'Failed', say: 'CommandError' },
  { word: 'FigureStore', say: 'AppStatsStore' },
  { word: 'Marks', say: 'RateLimitStore' },
  { word: 'Narrow', say: 'Filters' },
  { word: 'Passing', say: 'TransientS3Error' },
  { word: 'PickDesk', say: 'FilePicker' },
  { word: 'SAY', say: 'MESSAGES' },
  { word: 'Seal', say: 'Mac, ReleaseSignature' },
  { word: 'SignInClient', say: 'OAuthClient' },
  { word: 'SignInFault', say: 'OAuthError' },
  { word: 'SignInServer', say: 'AuthorizationServer' },
  { word: 'SureButton', say: 'ConfirmButton' },
  { word: 'UseNotes', say: 'LastUsedTracker' },
  { word: 'actorWithin', say: 'systemActor' },
  { word: 'appIdMeant', say: 'suggestAppId' },
  { word: 'foundAs', say: 'toSearchDocument' },
  { word: 'keepLogShort', say: 'checkpointWal' },
  { word: 'letGo', say: 'releaseBuffers' },
  { word: 'lookAtApp', say: 'loadAppPage' },
  { word: 'meritOf', say: 'popularity' },
  { word: 'moveStars', say: 'adjustHistogram' },
  { word: 'namesItself', say: 'supportsIss' },
  { word: 'noteInstall', say: 'recordDownload' },
  { word: 'noteUse', say: 'recordUse' },
  { word: 'putInSearch', say: 'indexApp' },
  { word: 'shelfOf', say: 'shardPath' },
  { word: 'takeIn', say: 'spoolToFile' },
  { word: 'takeTry', say: 'recordLoginAttempt' },
  { word: 'takeUpload', say: 'consumeUploadQuota' },
  { word: 'takesClientDocuments', say: 'supportsClientIdMetadata' },
  { word: 'tellQuota', say: 'setRateLimitHeaders' },
  { word: 'useAsk', say: 'useDesktopQuery' },
  { word: 'useDo', say: 'useDesktopMutation' },
  { word: 'weighApp', say: 'updateRank' },
  { word: 'whyUnsafe', say: 'unsafePathReason' },
  { word: 'withPatience', say: 'retryWithBackoff' },
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
];
