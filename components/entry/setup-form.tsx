"use client";

import { type FormEvent, useEffect, useState } from "react";
import { Button, LinkButton } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { type ApiError, asApiError, setUp } from "@/lib/client";

const SHORTEST_PASSWORD = 12;

/** Creates the first administrator with the token of the set-up link. */
export function SetupForm() {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [error, setError] = useState<ApiError>();

  useEffect(() => {
    const given = new URLSearchParams(window.location.search).get("token");
    if (!given) return;
    setToken(given);
    // The token is a secret: it leaves the address bar, so that it is in no history and no screenshot.
    window.history.replaceState(null, "", window.location.pathname);
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    setBusy(true);
    setError(undefined);
    try {
      await setUp({ token: token.trim(), email: text("email"), name: text("name"), password: text("password") });
      setDone(true);
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    setBusy(false);
  };

  if (done) {
    return (
      <div className="flex flex-col gap-4">
        <p role="status">The administrator exists. Sign in with the address and password that you have just chosen.</p>
        <LinkButton href="/sign-in" variant="primary" size="lg">
          Sign in
        </LinkButton>
      </div>
    );
  }

  const faultOf = (field: string) => error?.causes.find((cause) => cause.field === field || cause.field.endsWith(`.${field}`))?.message;
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      {error ? (
        <Callout tone="bad" role="alert" title="The administrator was not created">
          {error.message}
        </Callout>
      ) : null}
      <Field label="Set-up token" hint="Printed when Setpoint starts without an administrator." error={faultOf("token")}>
        {(control) => (
          <Input
            {...control}
            className="h-9 font-mono"
            name="token"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            autoComplete="off"
            required
          />
        )}
      </Field>
      <Field label="Name" error={faultOf("name")}>
        {(control) => <Input {...control} className="h-9" name="name" autoComplete="name" required />}
      </Field>
      <Field label="E-mail address" error={faultOf("email")}>
        {(control) => <Input {...control} className="h-9" name="email" type="email" autoComplete="username" required />}
      </Field>
      <Field label="Password" hint={`At least ${SHORTEST_PASSWORD} characters.`} error={faultOf("password")}>
        {(control) => (
          <Input
            {...control}
            className="h-9"
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={SHORTEST_PASSWORD}
            required
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="lg" busy={busy}>
        Create administrator
      </Button>
    </form>
  );
}
