export { visible } from '@svc/text';
