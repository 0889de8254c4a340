"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Answer } from "@/components/layout/answer";
import { Button } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import { SkeletonRows } from "@/components/ui/skeleton";
import { queries } from "@/lib/client";
import { CreateTokenDialog } from "./create-token-dialog";
import { TokenLine } from "./token-line";

/** One's own API tokens. */
export function TokensCard() {
  const query = useQuery(queries.tokens());
  const [creating, setCreating] = useState(false);
  return (
    <Card aria-labelledby="tokens">
      <CardHeader
        id="tokens"
        title="Your API tokens"
        description="For the command line and your own programs; a token can never do more than you"
        actions={
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            New token
          </Button>
        }
      />
      <Answer query={query} skeleton={<SkeletonRows rows={2} />} errorTitle="Your tokens could not be loaded">
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="px-4 pb-4 text-muted">You have no tokens.</p>
          ) : (
            <ul className="divide-y divide-line border-line border-t">
              {tokens.map((token) => (
                <TokenLine key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Answer>
      <CreateTokenDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
