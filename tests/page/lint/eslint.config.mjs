// What eslint holds the modules of the page and of the JavaScript client to. Names that are not defined are tsc's affair.

import js from "@eslint/js";

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.mjs", "**/*.js"],
    ...js.configs.recommended,
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    rules: {
      ...js.configs.recommended.rules,
      "no-undef": "off",
      "no-control-regex": "off", // canonical text and names are held by their bytes
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      eqeqeq: ["error", "always"],
      "no-implicit-globals": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": ["error",
        { property: "innerHTML", message: "Text is always text: make elements." },
        { property: "outerHTML", message: "Text is always text: make elements." },
        { property: "insertAdjacentHTML", message: "Text is always text: make elements." }],
    },
  },
];
