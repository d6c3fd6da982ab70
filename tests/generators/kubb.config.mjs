// What kubb makes: types, and a function over fetch for each operation.
import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  root: ".",
  input: { path: "contract.yaml" },
  output: { path: "client", clean: true },
  plugins: [pluginOas({ validate: false, generators: [] }), pluginTs(), pluginClient({ client: "fetch" })],
});
