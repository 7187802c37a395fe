// Whether a document is OpenAPI, by its own schema.
//
//     openapi_valid.mjs MODULES FILE     prints its version, or what is wrong with it (exit 1)
import { readFileSync } from "node:fs";

const [modules, file] = process.argv.slice(2);
const { Validator } = await import(`${modules}/@seriousme/openapi-schema-validator/index.js`);
const validator = new Validator();
const result = await validator.validate(JSON.parse(readFileSync(file, "utf8")));
console.log(result.valid ? validator.version : JSON.stringify(result.errors, null, 1));
process.exit(result.valid ? 0 : 1);
