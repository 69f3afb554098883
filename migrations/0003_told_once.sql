CREATE TABLE "told_once" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"told_at" timestamp with time zone DEFAULT now() NOT NULL
);
