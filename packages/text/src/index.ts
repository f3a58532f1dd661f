export { cleanLine, replaceHidden } from './clean.ts';
export { cleanText, cleanValue } from './clean-value.ts';
export { editDistance } from './edit-distance.ts';
export {
  type EscapeOptions,
  escapeJson,
  escapeLines,
  escapeText,
  guardTerminal,
  quoteText,
  type Target,
  visible,
  visibleLines,
} from './escape.ts';
export {
  codePointName,
  type HiddenCharacter,
  hasVisible,
  hiddenIn,
  isPlainLine,
  isPlainText,
} from './hidden.ts';
export { modelSpeech, type SpeechPart } from './model-speech.ts';
export { isRichValue, NOT_TEXT, RICH_TEXT } from './rich-text.ts';
export { isReservedName, skeletonIn } from './skeleton/reserved.ts';
export { nameKeys, skeleton } from './skeleton/skeleton.ts';
