export { openPinboard, type Pinboard, type PinboardOptions } from './open-pinboard.ts';
export { APP_FOLDER, packPinboard, pinboardFiles } from './pack-pinboard.ts';
