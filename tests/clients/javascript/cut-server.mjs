// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/cut-server.mjs - cut-server.mjs DAEMON_URL: proxies of cut.mjs for a page. GET /?up=N&down=N: the address of a new one.
import { createServer } from "node:http";

import { cutting } from "./cut.mjs";

const server = createServer(async (request, response) => {
  const asked = new URL(request.url, "http://127.0.0.1").searchParams;
  const bytes = (name) => (asked.has(name) ? Number(asked.get(name)) : Infinity);
  const proxy = await cutting(process.argv[2], { up: bytes("up"), down: bytes("down") });
  response.writeHead(200, { "Content-Type": "text/plain", "Access-Control-Allow-Origin": "*" });
  response.end(proxy.url);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
