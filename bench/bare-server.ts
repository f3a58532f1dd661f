import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The floor: Node's own server, sending the same bytes from memory and doing nothing else. Its arguments are a file with the body,
// and, where the headers are to be the same too, the status and them as JSON, name after value.
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
