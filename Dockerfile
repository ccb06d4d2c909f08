# syntax=docker/dockerfile:1

# For those who have Docker. `make packages` builds the same packages without it.
#
#   docker buildx build . --platform linux/amd64,linux/arm64 --tag runtime

ARG GO_VERSION=1.26

# The compiler runs on the builder's own platform and cross-compiles: emulating the target would take many times longer.
FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build

WORKDIR /fn

# No C compiler is needed, and a static binary runs in an image without a C library.
ENV CGO_ENABLED=0

# Dependencies change seldom and the sources often: fetched on their own, they are fetched once.
RUN --mount=target=. --mount=type=cache,target=/go/pkg/mod go mod download

# Set by the builder for each platform that the image is for.
ARG TARGETOS
ARG TARGETARCH

# The sources are mounted and not copied, so that they leave no layer; the caches survive the build.
RUN --mount=target=. \
    --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false -ldflags "-s -w" -o /function .

# Nothing but the binary, CA certificates and a user: no shell, no package manager.
FROM gcr.io/distroless/static-debian12:nonroot AS image

COPY --from=build /function /function

# The port on which Crossplane calls a function.
EXPOSE 9443

# By number, since Kubernetes cannot tell from a name that the user is not root.
USER 65532:65532

ENTRYPOINT ["/function"]
