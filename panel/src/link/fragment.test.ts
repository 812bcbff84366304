import { expect, test } from "vitest";
import { fromFragment } from "./fragment";

const ours = "a=b; dispatch_login_done=m1";

test("an external login comes back in the fragment, under the provider's name", () => {
  const credentials = { sessionId: "s+1", authToken: "t", since: 9 };
  expect(fromFragment("#sessionId=s%2B1&authToken=t&callsign=Anna+Lee&login=m1", ours, 9)).toEqual({
    credentials: { ...credentials, callsign: "Anna Lee" },
    error: "",
  });
  expect(fromFragment("#sessionId=s%2B1&authToken=t&login=m1", ours, 9)?.credentials).toEqual({ ...credentials, callsign: "" });
});

test("a refused external login says why", () => {
  expect(fromFragment("#error=This+account+may+not+dispatch+here&login=m1", ours, 9)).toEqual({
    credentials: null,
    error: "This account may not dispatch here",
  });
});

test("a login link made by somebody else is ignored", () => {
  const nothing = { credentials: null, error: "" };
  for (const mark of ["", "&login=", "&login=m2", "&login=m", "&login=m1;"])
    for (const cookies of [ours, "", "dispatch_login_done="]) {
      expect(fromFragment(`#sessionId=s&authToken=t${mark}`, cookies, 9)).toEqual(nothing);
      expect(fromFragment(`#error=Call+555${mark}`, cookies, 9)).toEqual(nothing);
    }
});

test("another fragment is ignored", () => {
  expect(fromFragment("#zone-1", ours, 9)).toBeNull();
});
