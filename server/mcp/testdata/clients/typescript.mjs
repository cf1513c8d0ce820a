// Calls tools through the official TypeScript SDK, as the clients do that are made with it: once the tools were listed, the
// SDK checks every answer against the tool's output schema.
//
//   node typescript.mjs PROGRAM ARGUMENT... <calls.json
//
// calls.json is a list of {tool, arguments} and {uri}. Standard output gets {tools, answers}: the names that were listed, and for
// each call its result, or what the SDK threw.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { readFileSync } from "node:fs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "typescript-sdk", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
const { tools } = await client.listTools();
const answers = [];
for (const call of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const result = call.uri ? await client.readResource(call) : await client.callTool({ name: call.tool, arguments: call.arguments });
    answers.push({ result });
  } catch (error) {
    answers.push({ thrown: { code: error.code, message: error.message, data: error.data } });
  }
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers }));
