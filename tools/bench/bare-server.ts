import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The baseline: Node's HTTP server, sending the same bytes from memory. Arguments: a file with the body, and optionally the status and
// the headers as JSON, as alternating names and values.
const [file = '', status = '200', head] = process.argv.slice(2);
const body = readFileSync(file);
const headers: string[] = head
  ? JSON.parse(head)
  : ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)];
const server = createServer((_request, response) => {
  response.writeHead(Number(status), headers);
  response.end(status === '304' ? undefined : body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`);
});
