// SPDX-License-Identifier: Apache-2.0
// tests/clients/scenario/node.mjs - node.mjs URL FOLDER: the scenario in Node, as JSON on the standard output.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "../../../clients/javascript/torqued.js";
import { run } from "./steps.mjs";

const [url, folder] = process.argv.slice(2);
const scenario = JSON.parse(readFileSync(join(folder, "scenario.json"), "utf8"));
const files = { "log.csv": readFileSync(join(folder, "log.csv"), "utf8") };
process.stdout.write(JSON.stringify(await run(new Client(url), scenario, files)));
