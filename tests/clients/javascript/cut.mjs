// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/cut.mjs - a TCP proxy before the daemon that kills connections after so many bytes.
import { createServer, connect } from "node:net";

/** {url, cuts, close}. After `up` bytes to the daemon or `down` bytes from it, of all connections, the one that carries them ends; `times` times. */
export async function cutting(target, { up = Infinity, down = Infinity, times = 1 } = {}) {
  const { hostname, port } = new URL(target);
  const open = new Set();
  const left = { up, down };
  const proxy = { cuts: 0, up: 0, down: 0, refuses: false, text: "" };
  const server = createServer((client) => {
    if (proxy.refuses) return client.destroy();
    const daemon = connect(port, hostname);
    const end = () => {
      open.delete(client);
      client.destroy();
      daemon.destroy();
    };
    const pass = (from, to, way) =>
      from.on("data", (bytes) => {
        proxy[way] += bytes.length;
        if (way === "down") proxy.text = (proxy.text + bytes.toString("latin1")).slice(-4096);
        const piece = bytes.subarray(0, left[way]);
        left[way] -= piece.length;
        if (left[way] > 0) return to.write(piece);
        proxy.cuts++;
        Object.assign(left, --times > 0 ? { up, down } : { up: Infinity, down: Infinity });
        from.pause();
        return to.write(piece, () => setImmediate(end)); // what was let through arrives, then nothing
      });
    open.add(client);
    pass(client, daemon, "up");
    pass(daemon, client, "down");
    for (const one of [client, daemon]) one.on("error", end).on("close", end);
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  /** Ends what is open, after what has come, and takes nothing new until `refuses` is false. */
  proxy.refuse = () => {
    proxy.refuses = true;
    for (const one of open) one.end();
  };
  proxy.close = () => {
    for (const one of open) one.destroy();
    server.close();
  };
  return proxy;
}
