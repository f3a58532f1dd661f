export { areAlike, beginningsOf, beginsWith, brandLike, brandOfId, looksOf } from './brands.ts';
export type { Fix } from './engine.ts';
export { exampleEntries } from './example.ts';
export { type Explanation, explain, isCode, type SamplePart } from './explain.ts';
export { suggestDomain } from './hosts.ts';
export type { Location } from './json/read-json.ts';
export type { Localhost } from './localhost.ts';
export { nearest } from './nearest.ts';
export { kindOf } from './pictures/kind.ts';
export { readPicture, readPixels } from './pictures/read-picture.ts';
export type { Example, Level, Mode, Repair, Sample } from './rule.ts';
export { type Code, RULES } from './rules/index.ts';
export {
  type BundleVerdict,
  fixesFor,
  hasErrors,
  type ManifestReading,
  parseManifest,
  reservedNameIn,
  type ValidateOptions,
  validateBundle,
  validateManifest,
} from './validate.ts';
export type { PlainScripts } from './walk/bundle.ts';
