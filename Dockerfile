# One image for the API and the workers; docker-compose.yml sets the command of each.
FROM python:3.12-slim AS build
RUN python -m venv /opt/botequim
ENV PATH=/opt/botequim/bin:$PATH
WORKDIR /src
COPY requirements requirements
RUN pip install --no-cache-dir --require-hashes -r requirements/server.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY botequim botequim
COPY arena arena
COPY api api
COPY queues queues
COPY workers workers
COPY docs docs
RUN pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin botequim
COPY --from=build /opt/botequim /opt/botequim
ENV PATH=/opt/botequim/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=/var/cache
RUN install -d -o 10001 -g 10001 -m 700 /var/cache/botequim /var/lib/botequim /var/lib/botequim/archive
USER 10001:10001
# Build the sandbox's Python here and not in the workers: builds differ, and all workers must use the same one.
RUN python -m arena.sandbox.runtime
WORKDIR /tmp
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["botequim", "serve", "--bind", "0.0.0.0:8000"]
