// Links that carry a program, read within bounds. Run with: node --test tests/js

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { frameOf, inAttribute } from "../../website/app/dialogs.js";
import { marksAt } from "../../website/app/marks.js";
import { MOST_CARRIED, MOST_CODE, pack, read, unpack, written } from "../../website/app/link.js";

const letters = (text) => deflateRawSync(text).toString("base64url");

test("a program comes back as it was written", async () => {
  for (const code of ["", "x = 1\n", "# 视图 🙂 \0 \r\n", "x".repeat(MOST_CODE)]) assert.equal((await read(await written({ code }))).code, code);
  const link = await written({ code: "x", step: 6, picture: "<svg/>" });
  assert.deepEqual(await read(link), { code: "x", step: 6, picture: "<svg/>" });
  assert.match(link, /^#code=[\w-]+&step=7&picture=[\w-]+$/);
});

test("what is too long after decompression is refused before it is whole", async () => {
  assert.equal((await read(`#code=${letters("x".repeat(MOST_CODE + 1))}`)).refused, "long");
  // 100 MB of one letter are 100 kB of a link.
  const bomb = letters("x".repeat(100_000_000));
  const before = process.memoryUsage().arrayBuffers;
  assert.equal((await read(`#code=${bomb}`)).refused, "long");
  assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000);
  assert.equal((await read(`#code=${"A".repeat(400_001)}`)).refused, "long");
});

test("what is damaged is refused", async () => {
  const cut = (await pack("a = 1\nb = 2\nc = 3\n")).slice(0, -4);
  for (const code of [cut, "%%%", "AAAA", letters(Buffer.from([0xff, 0xfe]))]) {
    const asked = await read(`#code=${encodeURIComponent(code)}`);
    assert.equal(asked.refused, "damaged", code);
    assert.equal(asked.code, undefined);
  }
});

test("a damaged picture does not spoil its program", async () => {
  const asked = await read(`#code=${await pack("x")}&picture=zzz`);
  assert.equal(asked.code, "x");
  assert.equal(asked.picture, undefined);
});

test("a step is a number from 1, an example a plain name", async () => {
  assert.deepEqual(await read("#step=0"), {});
  assert.deepEqual(await read("#step=1e3&example=../x"), {});
  assert.deepEqual(await read("#step=12&example=06-refused"), { step: 11, example: "06-refused" });
  assert.deepEqual(await read(""), {});
});

test("a picture that is too long for a link is left out", async () => {
  const noise = Array.from({ length: 4 * MOST_CARRIED }, (_, k) => String.fromCharCode(33 + ((k * 7919 + k * k) % 90))).join("");
  const link = await written({ code: "x", step: 0, picture: noise + Math.PI });
  if (link.includes("picture=")) assert.ok(link.length < MOST_CARRIED + 100);
  await assert.rejects(unpack(letters("abc"), 2), RangeError);
});

test("the HTML of a frame cannot be left", () => {
  assert.equal(inAttribute('"><b>&'), "&quot;&gt;&lt;b&gt;&amp;");
  assert.ok(!frameOf('x"onload="alert(1)', "<t>").includes('"onload'));
});

test("the editor marks the line of a step and what its trace tells", () => {
  const payload = { said: [["kept `x`", "保存 `x`"]], steps: [{ line: 3, error: true, marked: [[1, "kept", 0, 0, 4, 9]] }, { line: null }] };
  assert.deepEqual(marksAt(payload, 0, "zh"), [
    { line: 3, style: "bad" },
    { line: 1, style: "told", words: "保存 x", from: 4, to: 9 },
  ]);
  assert.deepEqual(marksAt(payload, 1, "en"), []);
  assert.deepEqual(marksAt(payload, 7, "en"), []);
});
