export * from './page/create-page-server.ts';
